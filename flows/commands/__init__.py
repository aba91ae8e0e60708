"""The commands of `treebench`, as plain functions; `flows.command_line` gives them their names."""
