// The code of guides is that of the examples, which tests run in Chromium.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checkout } from './fences.ts'
import { fencesOf } from './runners.ts'

const examples = [
  'page/index.html',
  'react/index.html',
  'react/vite.config.js',
  'react/src/main.jsx',
  'vue/src/use-completion.js',
  'vue/src/Chat.vue',
]

/** The guides explain in their own words what the comments say. */
const withoutComments = (code: string) => code.replace(/^\/\/ .*\n/gm, '')

test.each(fencesOf('docs/guides.test.ts'))('$page, $section', ({ code }) => {
  const files = examples.map(path => withoutComments(readFileSync(join(checkout, 'examples', path), 'utf8')))
  expect(files).toContain(code)
})
