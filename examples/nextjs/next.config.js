// Stops with a sentence where a setting is missing, instead of at the first token.
if (!process.env.SALLYPORT_URL || !process.env.SALLYPORT_API_KEY) {
  console.error(
    'Set SALLYPORT_URL to the address of your project, and SALLYPORT_API_KEY to its API key. See README.md.',
  )
  process.exit(1)
}

// This folder is the whole application, whatever lies above it.
export default { turbopack: { root: import.meta.dirname } }
