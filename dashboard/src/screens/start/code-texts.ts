// The texts of the code for an application: its environment, its server and its page.

export const environmentFor = (address: string, apiKey: string): string =>
  `SALLYPORT_URL=${address}
SALLYPORT_API_KEY=${apiKey}`

export const serverCode = `import { createSallyport } from '@sallyport/sdk'
import express from 'express'

const sallyport = createSallyport({
  baseUrl: process.env.SALLYPORT_URL,
  apiKey: process.env.SALLYPORT_API_KEY,
})

const app = express()
app.get('/token', async (request, response) => {
  // Take the user from your own session, never from the request.
  const userId = 'user-1'
  response.set('Cache-Control', 'no-store')
  response.json(await sallyport.mint({ userId, fresh: request.query.fresh === 'true' }))
})
app.listen(3000)`

/** The client of a page, which gets its tokens from the page's server. */
export const pageClientFor = (address: string): string =>
  `import { createTokenProvider, openaiOptions } from '@sallyport/sdk'
import OpenAI from 'openai'

const baseUrl = '${address}'
const tokenProvider = createTokenProvider(({ isRejected }) => fetch(\`/token?fresh=\${isRejected}\`))
const openai = new OpenAI(openaiOptions({ baseUrl, tokenProvider }))`

export const pageCodeFor = (address: string): string =>
  `${pageClientFor(address)}

const stream = await openai.chat.completions.create({
  model: 'default',
  messages: [{ role: 'user', content: 'Hello' }],
  stream: true,
})
for await (const chunk of stream) document.body.append(chunk.choices[0]?.delta.content ?? '')`

/** The client of a server, for one of its users. */
export const pythonClient = `import os

from openai import OpenAI
from sallyport import Sallyport

sallyport = Sallyport(os.environ["SALLYPORT_URL"], os.environ["SALLYPORT_API_KEY"])
# Take the user from your own session, never from the request.
openai = OpenAI(base_url=sallyport.base_url + "/v1", api_key=sallyport.tokens("user-1"))`

export const pythonCode = `${pythonClient}

stream = openai.chat.completions.create(
    model="default",
    messages=[{"role": "user", "content": "Hello"}],
    stream=True,
)
for chunk in stream:
    if chunk.choices:
        print(chunk.choices[0].delta.content or "", end="")`

export const mintCommand = (origin: string): string =>
  `curl -sS -X POST ${origin}/auth/v1/auth/mint \\
  -H "Authorization: Bearer $SALLYPORT_API_KEY" -H 'Content-Type: application/json' \\
  -d '{"user_id":"user-1"}'`

export const requestCommandFor = (address: string): string =>
  `curl -sS -N ${address}/v1/chat/completions \\
  -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
  -d '{"model":"default","messages":[{"role":"user","content":"Hello"}],"stream":true}'`
