"""The protocol that earns a score trust: controlled edits, gates that can fail, calibration, identifiability."""
