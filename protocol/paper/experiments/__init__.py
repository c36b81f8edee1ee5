"""The paper's experiments: each module runs one, and says what was expected and what was seen."""
