// Texts of numbers.

/// Returns a number with four significant digits.
export function shortNumber(value) {
  if (!Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < 1e9) return value.toLocaleString('en');
  if (size >= 1e6 || (size < 1e-3 && size > 0)) return value.toExponential(3).replace('e+', 'e');
  return Number(value.toPrecision(4)).toLocaleString('en', {maximumSignificantDigits: 4});
}

/// Returns a rate with three significant digits.
export function rateText(rate) {
  if (rate === 0) return '0';
  return Number(rate.toPrecision(3)).toLocaleString('en', {maximumSignificantDigits: 3});
}

/// Returns a time in seconds with a unit.
export function timeText(seconds) {
  const units = [[1, 's'], [1e-3, 'ms'], [1e-6, 'µs'], [1e-9, 'ns']];
  const [size, unit] = units.find(([least]) => Math.abs(seconds) >= least) ?? [1, 's'];
  return `${Number((seconds / size).toPrecision(4))} ${unit}`;
}
