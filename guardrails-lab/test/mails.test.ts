// Mails as harmless texts: which belong together, and which half is held out.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readMails } from '../evaluation/mails.ts'

const folder = mkdtempSync(join(tmpdir(), 'mails-'))
afterAll(() => rmSync(folder, { recursive: true }))

function write(kind: string, name: string, mail: string): void {
  mkdirSync(join(folder, kind), { recursive: true })
  writeFileSync(join(folder, kind, name), mail, 'latin1')
}

test('a mail is what follows its headers, once; its answers are in the same half', () => {
  for (const kind of ['easy-ham-2', 'hard-ham-1', 'spam-1', 'spam-2']) write(kind, 'other.json', '{}')
  for (let topic = 0; topic < 40; topic++) {
    write('easy-ham-1', `${topic}.txt`, `From: a\nSubject: Topic ${topic}\n\nQuestion ${topic}.\n`)
    write('easy-ham-1', `${topic}-answer.txt`, `Subject: Re: FWD: topic\n  ${topic}\r\n\r\nAnswer ${topic}.\r\n`)
  }
  write('spam-1', '1.txt', 'Subject: Topic 1\n\nQuestion 1.')
  write('spam-2', '1.txt', 'Subject: empty\n\n \n')
  const mails = readMails(folder)
  expect(mails.map(({ text }) => text).sort()).toEqual(
    Array.from({ length: 40 }, (_, topic) => [`Question ${topic}.`, `Answer ${topic}.`])
      .flat()
      .sort(),
  )
  const halves = Map.groupBy(mails, ({ thread }) => thread)
  expect(halves.size).toBe(40)
  for (const [thread, its] of halves) expect(new Set(its.map(({ isHeldOut }) => isHeldOut)).size, thread).toBe(1)
  const heldOut = mails.filter(({ isHeldOut }) => isHeldOut).length
  expect(heldOut).toBeGreaterThan(20)
  expect(heldOut).toBeLessThan(60)
})
