"""The paper's theorems as numbers: bounds, exact probabilities, and the instances to try them on."""
