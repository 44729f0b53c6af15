"""High Roll Dice, with ten dice and with six: 58 Pa. Code ch. 675a."""
