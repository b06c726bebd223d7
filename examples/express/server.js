// The server of a chat application: it serves one page, and mints a token for the user who is signed in. The API key stays here.
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createSallyport, SallyportError } from '@sallyport/sdk'
import express from 'express'
import { build } from 'rolldown'

const { SALLYPORT_URL: baseUrl, SALLYPORT_API_KEY: apiKey, PORT = '3000' } = process.env
if (!baseUrl || !apiKey) {
  console.error(
    'Set SALLYPORT_URL to the address of your project, and SALLYPORT_API_KEY to its API key. See README.md.',
  )
  process.exit(1)
}

const sallyport = createSallyport({ baseUrl, apiKey })
const app = express()

app.get('/token', async (request, response) => {
  // Take the user from your own session. Anybody who may choose it could act as somebody else.
  const userId = 'user-1'
  response.set('Cache-Control', 'no-store')
  try {
    response.json(await sallyport.mint({ userId, fresh: request.query.fresh === 'true' }))
  } catch (error) {
    if (!(error instanceof SallyportError)) throw error
    response.status(502).json({ error: error.message })
  }
})

app.get('/config.json', (_request, response) => {
  response.json({ baseUrl })
})

// The page's script and the parts of the SDK that it uses, as one file.
const folder = join(dirname(fileURLToPath(import.meta.url)), 'public')
const input = join(folder, 'app.js')
const { output } = await build({ input, tsconfig: false, write: false, output: { minify: true } })
app.get('/app.js', (_request, response) => {
  response.type('text/javascript').send(output[0].code)
})
app.use(express.static(folder))

const server = app.listen(Number(PORT), error => {
  if (error) throw error
  console.log(`Open http://localhost:${server.address().port}`)
})
