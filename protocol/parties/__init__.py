"""The parties: what each says, given what it was shown. How it decides is left to people, or to a simulation."""
