#pragma once

namespace lbm {

/// How far moments go towards their equilibrium at a collision: a rate for each group of them, 0 to
/// 2, as in d'Humieres et al., Phil. Trans. R. Soc. Lond. A 360 (2002) 437. BGK is all of them
/// equal; TRT (Ginzburg, Adv. Water Resour. 28 (2005) 1171) has one for moments of even order and
/// one for those of odd order.
struct RelaxationRates {
  double shear = 1;         ///< s_9, s_13: 1 / (3 nu + 1/2)
  double energy = 1;        ///< s_1
  double energySquare = 1;  ///< s_2
  double flux = 1;          ///< s_4, of q: where energy goes
  double pi = 1;            ///< s_10
  double third = 1;         ///< s_16, of m
};

/// The free parameters of the equilibrium of d'Humieres et al. 2002; these make it that of BGK.
struct FreeParameters {
  double rest = 3;      ///< w_epsilon
  double speed = -5.5;  ///< w_epsilon j
  double pi = -0.5;     ///< w_xx
};

}  // namespace lbm
