// A button that saves is off while nothing is changed.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const screens = join(import.meta.dirname, '../src/screens')
/** Their fields begin empty: the password is never shown, and the filters get a new name. */
const withoutStored = ['account/account-screen.tsx', 'requests/saved-views.tsx']

interface Tag {
  file: string
  text: string
}

function findForms(file: string): Tag[] {
  const source = readFileSync(join(screens, file), 'utf8')
  return [...source.matchAll(/<Form\b(?:=>|[^>])*>/g)].map(([text]) => ({ file, text }))
}

test('a form that saves or changes what is stored is off until one of its fields differs', () => {
  const forms = globSync('**/*.tsx', { cwd: screens }).flatMap(findForms)
  const saving = forms.filter(({ text }) => /submitLabel=[^/]*\b(Save|Change|Rename)\b/.test(text))
  expect(saving.length).toBeGreaterThan(10)
  const active = saving.filter(({ text }) => !/\b(isOfStored|isDisabled)\b/.test(text)).map(({ file }) => file)
  expect(active.sort()).toEqual(withoutStored)
})
