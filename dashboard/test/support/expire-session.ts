// Ends the session of a page at one of its requests, so that nothing which the page reads on a timer finds that first.
import type { HTTPRequest } from 'puppeteer-core'
import type { Screen } from './dashboard.ts'

/** The first request for which `isMeant` is true, and all after it, are sent without the session's cookie. */
export async function expireSessionAt({ page }: Screen, isMeant: (request: HTTPRequest) => boolean): Promise<void> {
  let cookies: Promise<void> | undefined
  await page.setRequestInterception(true)
  page.on('request', request => {
    if (isMeant(request)) cookies ??= page.deleteCookie({ name: 'sallyport', domain: 'localhost' })
    void Promise.resolve(cookies).then(() => request.continue())
  })
}
