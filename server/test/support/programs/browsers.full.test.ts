// The browser helper: pages are isolated from each other, their errors are reported, and closing leaves nothing behind.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openBrowser, type TestBrowser } from './browsers.ts'
import type { BrowserName } from './find-browser.ts'

const patience = { timeout: 30_000 }
const script = `
globalThis.pageFunctions = {
  add: async (a, b) => ({ sum: a + b }),
  remember: value => localStorage.setItem('value', value),
  recall: () => localStorage.getItem('value'),
  fail() {
    console.log('no error')
    console.error('logged')
    setTimeout(() => { throw new Error('thrown') })
  },
}`
interface Page extends Record<string, (...args: never[]) => unknown> {
  add: (a: number, b: number) => Promise<{ sum: number }>
  remember: (value: string) => void
  recall: () => string | null
  fail: () => void
}

const server = createServer((_, response) => {
  response.setHeader('content-type', 'text/html')
  response.end(`<!doctype html><link rel="icon" href="data:,"><script>${script}</script>`)
})
let url: string
beforeAll(async () => {
  await new Promise<void>(resolve => void server.listen(0, '127.0.0.1', resolve))
  url = `http://localhost:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.close()
  server.closeAllConnections()
})

function describeBrowser(name: BrowserName): void {
  describe(name, () => {
    let browser: TestBrowser
    beforeAll(async () => {
      browser = await openBrowser(name)
    })
    afterAll(() => browser?.close())

    test('calls the functions of a page, which knows nothing of another page', async () => {
      const [first, second] = [await browser.openPage<Page>(url), await browser.openPage<Page>(url)]
      expect(await first.call('add', 2, 3)).toEqual({ sum: 5 })
      await first.call('remember', 'a')
      expect([await first.call('recall'), await second.call('recall')]).toEqual(['a', null])
      await Promise.all([first.close(), second.close()])
    })

    test('collects what a page logs as errors and what it throws, until it is taken', async () => {
      const page = await browser.openPage<Page>(url)
      await page.call('fail')
      const errors: string[] = []
      const take = () => errors.push(...page.takeErrors())
      await expect.poll(take, patience).toBe(2)
      expect(errors.toSorted()).toEqual([expect.stringContaining('thrown'), 'logged'])
      expect(page.takeErrors()).toEqual([])
      await page.close()
    })

    test('leaves no process and no profile behind when it is closed', async () => {
      expect(processesWith(browser.folder)).not.toEqual([])
      await browser.close()
      expect(existsSync(browser.folder)).toBe(false)
      await expect.poll(() => processesWith(browser.folder), patience).toEqual([])
    })

    test('leaves no process and no profile behind when a signal ends the tests', async () => {
      const child = spawn(process.execPath, ['--input-type=module', '-e', openAndWait(name)])
      const errors = child.stderr.setEncoding('utf8').toArray()
      const ended = once(child, 'close')
      const [folder = ''] = await once(child.stdout.setEncoding('utf8'), 'data')
      expect(processesWith(folder)).not.toEqual([])
      child.kill('SIGTERM')
      await ended
      expect(existsSync(folder), String(await errors)).toBe(false)
      await expect.poll(() => processesWith(folder), patience).toEqual([])
    })
  })
}

/** A program that opens the browser, prints its folder and runs until it is killed. */
function openAndWait(name: BrowserName): string {
  return `
    const { openBrowser } = await import(${JSON.stringify(join(import.meta.dirname, 'browsers.ts'))})
    const browser = await openBrowser('${name}')
    process.stdout.write(browser.folder)
    setInterval(() => {}, 1000)`
}

/** The command lines that contain the folder; a process that has ended has none. */
function processesWith(folder: string): string[] {
  return globSync('/proc/[0-9]*/cmdline')
    .map(readIfThere)
    .filter(line => line.includes(folder))
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

describeBrowser('chromium')
describeBrowser('firefox')
