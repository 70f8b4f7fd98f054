"""The gaming benchmark: what an attacker buys, in points and in leaderboard positions."""
