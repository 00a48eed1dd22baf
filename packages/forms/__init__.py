"""How each form of package is made and tried."""
