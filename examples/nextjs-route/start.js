// Calls the route handler as Next.js does, without Next.js, and prints its answers.
if (!process.env.SALLYPORT_URL || !process.env.SALLYPORT_API_KEY) {
  console.error(
    'Set SALLYPORT_URL to the address of your project, and SALLYPORT_API_KEY to its API key. See README.md.',
  )
  process.exit(1)
}
const { GET } = await import('./app/token/route.js')

for (const headers of [{}, { cookie: 'user=user-1' }]) {
  const response = await GET(new Request('http://localhost:3000/token', { headers }))
  console.log(response.status, await response.text())
}
