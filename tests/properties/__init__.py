"""Laws every answer of the real rule book obeys, whatever a profile says."""
