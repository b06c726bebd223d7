// How a session's browser is named.
import { expect, test } from 'vitest'
import { describeBrowser } from '../src/screens/account/describe-browser.ts'

const chrome = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0'

test.each([
  [`Mozilla/5.0 (X11; Linux x86_64) ${chrome} Safari/537.36`, 'Chrome 156 on Linux'],
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${chrome} Safari/537.36 Edg/156.0.0.0`, 'Edge 156 on Windows'],
  [`Mozilla/5.0 (Linux; Android 15; Pixel 9) ${chrome} Mobile Safari/537.36`, 'Chrome 156 on Android'],
  ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:150.0) Gecko/20100101 Firefox/150.0', 'Firefox 150 on macOS'],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 26_0 like Mac OS X) AppleWebKit/605.1.15 Version/26.0 Mobile/15E148 Safari/604.1',
    'Safari 26 on iOS',
  ],
  ['curl/8.14.1', 'curl/8.14.1'],
  ['<img src=x onerror=alert(1)>', '<img src=x onerror=alert(1)>'],
  [null, 'Unknown'],
])('%s', (userAgent, expected) => expect(describeBrowser(userAgent)).toBe(expected))
