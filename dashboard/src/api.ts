// What the dashboard asks of the gateway. The only file that knows its routes; knows nothing of the page.

/** True when the gateway says that it is alive; false when it says anything else or nothing. */
export async function isAlive(baseUrl = ''): Promise<boolean> {
  try {
    const response = await fetch(`${baseUrl}/healthz`, { signal: AbortSignal.timeout(5000) })
    if (!response.ok) return false
    const body: unknown = await response.json()
    return typeof body === 'object' && body !== null && 'status' in body && body.status === 'ok'
  } catch {
    return false
  }
}
