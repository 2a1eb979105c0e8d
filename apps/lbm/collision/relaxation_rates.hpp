#pragma once

namespace lbm {

/// Relaxation rates of the groups of moments, each between 0 and 2, after d'Humieres et al., Phil.
/// Trans. R. Soc. Lond. A 360 (2002) 437. BGK has one rate for all; TRT (Ginzburg, Adv. Water
/// Resour. 28 (2005) 1171) one for moments of even order and one for those of odd order.
struct RelaxationRates {
  double shear = 1;         ///< s_9, s_13 of the stress: 1 / (3 viscosity + 1/2)
  double energy = 1;        ///< s_1 of e
  double energySquare = 1;  ///< s_2 of epsilon
  double flux = 1;          ///< s_4 of q, the flux of energy
  double pi = 1;            ///< s_10 of pi; D3Q19 only
  double third = 1;         ///< s_16 of m, of third order; D3Q19 only
};

/// Free parameters of the equilibrium of d'Humieres et al. 2002, D3Q19 only. The defaults make it
/// the equilibrium of BGK.
struct FreeParameters {
  double rest = 3;      ///< w_epsilon
  double speed = -5.5;  ///< w_epsilon j
  double pi = -0.5;     ///< w_xx
};

}  // namespace lbm
