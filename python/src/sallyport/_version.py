"""The version of the package, which build_package.py reads too."""

__version__ = "0.1.0"
