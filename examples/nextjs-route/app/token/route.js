// A Next.js route handler: answers GET /token with a token for the user who is signed in. The API key stays on the server.
import { createSallyport, SallyportError } from '@sallyport/sdk'

const { SALLYPORT_URL: baseUrl, SALLYPORT_API_KEY: apiKey } = process.env
const sallyport = createSallyport({ baseUrl, apiKey })

const headers = { 'Cache-Control': 'no-store' }

export async function GET(request) {
  const userId = findUserId(request)
  if (userId === null) return Response.json({ error: 'Sign in first' }, { status: 401, headers })
  const fresh = new URL(request.url).searchParams.get('fresh') === 'true'
  try {
    return Response.json(await sallyport.mint({ userId, fresh }), { headers })
  } catch (error) {
    if (!(error instanceof SallyportError)) throw error
    return Response.json({ error: error.message }, { status: 502, headers })
  }
}

/** Ask your own sessions here. A bare cookie can be forged, so it must not decide who somebody is. */
function findUserId(request) {
  return /(?:^|; )user=([^;]+)/.exec(request.headers.get('cookie') ?? '')?.[1] ?? null
}
