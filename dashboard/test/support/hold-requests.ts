// Holds back requests of a page, so that a test sees what the page shows until their answers are there.
import type { HTTPRequest } from 'puppeteer-core'
import type { Screen } from './dashboard.ts'

/** Runs `meanwhile`, and only then sends the requests that began meanwhile and for which `isHeld` is true. */
export async function holdRequests(
  { page }: Screen,
  isHeld: (request: HTTPRequest) => boolean,
  meanwhile: () => Promise<void>,
): Promise<void> {
  const { promise: mayGoOn, resolve: release } = Promise.withResolvers<void>()
  const sent: Promise<void>[] = []
  const pass = (request: HTTPRequest): void => {
    sent.push((isHeld(request) ? mayGoOn : Promise.resolve()).then(() => request.continue()))
  }
  await page.setRequestInterception(true)
  page.on('request', pass)
  try {
    await meanwhile()
  } finally {
    release()
    await Promise.all(sent)
    page.off('request', pass)
    await page.setRequestInterception(false)
  }
}
