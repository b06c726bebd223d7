// The server of a chat application: it serves one page, and mints a token for the user who is signed in. The API key stays here.
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createSallyport, SallyportError } from '@sallyport/sdk'
import express from 'express'

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

// The page imports both packages as they are. An application with a bundler needs none of this.
const here = dirname(fileURLToPath(import.meta.url))
const folderOf = name => dirname(fileURLToPath(import.meta.resolve(name)))
app.use('/modules/sdk', express.static(folderOf('@sallyport/sdk')))
app.use('/modules/openai', express.static(folderOf('openai')))
app.use(express.static(join(here, 'public')))

const server = app.listen(Number(PORT), error => {
  if (error) throw error
  console.log(`Open http://localhost:${server.address().port}`)
})
