"""The paper's protocol, and the commands of everyone who takes part in it."""
