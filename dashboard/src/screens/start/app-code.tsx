// The code for the user's own application: a server that mints tokens, and a page that streams answers.
import { addressOf } from '../../api/ask-project.ts'
import { ActionButton } from '../../ui/button.tsx'
import { Copyable } from '../../ui/copyable.tsx'
import { Section } from '../../ui/page.tsx'

interface AppCodeProps {
  slug: string
  /** Null until it is created. */
  apiKey: string | null
  provideKey: () => Promise<string>
}

export function AppCode({ slug, apiKey, provideKey }: AppCodeProps) {
  return (
    <Section title="4. Your own application">
      {apiKey === null ? (
        <>
          <p>Your server needs an API key. It is shown here once.</p>
          <p>
            <ActionButton run={provideKey}>Create an API key</ActionButton>
          </p>
        </>
      ) : (
        <>
          <p>
            The environment of your server. Store the API key now: it is shown only on this page, until you leave it.
          </p>
          <Copyable label="environment" text={environmentFor(slug, apiKey)} />
        </>
      )}
      <p>
        Your server mints a token for each of its users, with <code>@sallyport/sdk</code>:
      </p>
      <Copyable label="server code" text={serverCode} />
      <p>Your page streams answers with the official OpenAI client:</p>
      <Copyable label="page code" text={pageCodeFor(slug)} />
      <p>
        The <a href="/docs/guide-express">guide for a browser app</a> explains the code and how to install the packages.
      </p>
    </Section>
  )
}

const environmentFor = (slug: string, apiKey: string): string =>
  `SALLYPORT_URL=${addressOf(slug)}
SALLYPORT_API_KEY=${apiKey}`

const serverCode = `import { createSallyport } from '@sallyport/sdk'
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

const pageCodeFor = (slug: string): string =>
  `import { createTokenProvider, openaiOptions } from '@sallyport/sdk'
import OpenAI from 'openai'

const baseUrl = '${addressOf(slug)}'
const tokenProvider = createTokenProvider(({ isRejected }) => fetch(\`/token?fresh=\${isRejected}\`))
const openai = new OpenAI(openaiOptions({ baseUrl, tokenProvider }))

const stream = await openai.chat.completions.create({
  model: 'default',
  messages: [{ role: 'user', content: 'Hello' }],
  stream: true,
})
for await (const chunk of stream) document.body.append(chunk.choices[0]?.delta.content ?? '')`
