"""What continuous integration, editors and assistants share: configuration, findings on lines, baselines."""
