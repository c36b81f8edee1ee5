"""The paper's protocol, and the command line of everyone who takes part in it."""
