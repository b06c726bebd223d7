// A route handler: answers GET /token with a token for the user who is signed in. The API key stays on the server.
import { createSallyport, SallyportError } from '@sallyport/sdk'

const { SALLYPORT_URL: baseUrl, SALLYPORT_API_KEY: apiKey } = process.env
const sallyport = createSallyport({ baseUrl, apiKey })

const headers = { 'Cache-Control': 'no-store' }

export async function GET(request) {
  // Take the user from your own session. Anybody who may choose it could act as somebody else.
  const userId = 'user-1'
  const fresh = new URL(request.url).searchParams.get('fresh') === 'true'
  try {
    return Response.json(await sallyport.mint({ userId, fresh }), { headers })
  } catch (error) {
    if (!(error instanceof SallyportError)) throw error
    return Response.json({ error: error.message }, { status: 502, headers })
  }
}
