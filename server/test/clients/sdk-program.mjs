// A program of somebody who installed the SDK: each runtime runs it as it is, with a project's address, its API key and a
// session id. Prints what it saw as JSON.
import {
  createGatewayFetch,
  createManagementClient,
  createSallyport,
  createTokenProvider,
  openaiOptions,
  SallyportError,
} from '@sallyport/sdk'

const [baseUrl, apiKey, sessionId] = process.argv.slice(2)

const sallyport = createSallyport({ baseUrl, apiKey })
const minted = await sallyport.mint({ userId: 'user-1', ttl: 600, sessionId })

const tokenProvider = createTokenProvider(async () =>
  Response.json(await sallyport.mint({ userId: 'user-1', ttl: 600 })),
)
const gatewayFetch = createGatewayFetch({ baseUrl, tokenProvider })
const ask = async body => {
  const response = await gatewayFetch(`${baseUrl}/v1/chat/completions`, { method: 'POST', body, headers: json })
  return await response.json()
}
const json = { 'content-type': 'application/json' }
const completion = await ask(JSON.stringify({ messages: [{ role: 'user', content: 'Hello' }] }))
const invalid = await ask('{')

const wrongKey = `service_sk_live_${'0'.repeat(32)}`
const refused = await createSallyport({ baseUrl, apiKey: wrongKey })
  .mint({ userId: 'user-1' })
  .catch(error => error)

const { keys } = await createManagementClient({ baseUrl: new URL(baseUrl).origin }).request(
  'GET',
  '/.well-known/jwks.json',
)

console.log(
  JSON.stringify({
    minted: { ...minted, token: minted.token.split('.').length },
    answer: completion.choices[0].message.content,
    invalid: invalid.error.message,
    refused: { isSallyportError: refused instanceof SallyportError, status: refused.status, message: refused.message },
    baseURL: openaiOptions({ baseUrl, tokenProvider }).baseURL,
    keys: keys.length,
  }),
)
