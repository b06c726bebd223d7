// Which test runs which fences of the documentation. These tests get their fences from here, so that the table is true.
import { type Fence, readFences } from './fences.ts'

/** Fences of a page in a language; with a section, only those below that heading. */
interface Row {
  page: string
  language: string
  section?: string
}

const row = (page: string, language: string, section?: string): Row =>
  section === undefined ? { page, language } : { page, language, section }

export const runners = {
  'docs/front-door.full.test.ts': [row('README.md', 'sh', 'Run it'), row('docs/start.md', 'sh')],
  'docs/commands.full.test.ts': [
    row('docs/start.md', 'sh'),
    row('docs/deployment.md', 'sh', 'Secrets'),
    row('docs/guide-pii-masking.md', 'sh'),
    row('docs/data-plane.md', 'sh'),
    row('docs/responses.md', 'sh'),
    row('docs/messages.md', 'sh'),
    row('docs/prompts.md', 'sh'),
    row('docs/end-users.md', 'sh'),
    row('docs/guide-identity-providers.md', 'sh'),
    row('docs/operations.md', 'sh', 'Rotate keys without downtime'),
    row('docs/guide-rotate-secrets.md', 'sh'),
    row('docs/guide-siem.md', 'sh'),
    row('docs/sdk.md', 'sh'),
    row('docs/storage.md', '', 'Back up and restore SQLite'),
  ],
  'docs/minting.full.test.ts': ['', 'python', 'go', 'php', 'ruby', 'ts'].map(each => row('docs/guide-mint.md', each)),
  'clients/sdk-docs.full.test.ts': [
    'docs/sdk.md',
    'sdk/README.md',
    'README.md',
    'docs/prompts.md',
    ...['express', 'nextjs', 'mobile', 'identity-providers', 'langchain'].map(name => `docs/guide-${name}.md`),
  ]
    .map(page => row(page, 'js'))
    .concat(['docs/react.md', 'react/README.md'].map(page => row(page, 'jsx'))),
  'docs/python.full.test.ts': [
    row('python/README.md', 'python'),
    row('docs/python.md', 'python', 'Mint on your server'),
    row('docs/python.md', 'python', 'Errors'),
    row('docs/python.md', 'python', 'Verify a webhook'),
  ],
  'docs/guides.test.ts': [
    row('docs/guide-page.md', 'html'),
    ...['html', 'js', 'jsx'].map(each => row('docs/guide-react.md', each)),
    row('docs/guide-vue.md', 'js'),
    row('docs/guide-vue.md', 'html'),
  ],
  'docs/prompts.test.ts': [row('docs/prompts.md', 'json')],
  'docs/meters.test.ts': [row('docs/meters.md', 'json'), row('docs/meters.md', 'js')],
  'docs/webhooks.test.ts': [row('docs/webhooks.md', 'js'), row('docs/webhooks.md', 'json')],
  'docs/settings.test.ts': [row('docs/dns.md', 'sh')],
} satisfies Record<string, Row[]>

export type Runner = keyof typeof runners

export function isRunBy(runner: Runner, fence: Fence): boolean {
  return runners[runner].some(
    ({ page, language, section }: Row) =>
      page === fence.page && language === fence.language && (section === undefined || section === fence.section),
  )
}

/** The fences that a test runs, of one page or of all its pages. */
export function fencesOf(runner: Runner, page?: string): Fence[] {
  const pages = page === undefined ? [...new Set(runners[runner].map(each => each.page))] : [page]
  return pages.flatMap(each => readFences(each)).filter(fence => isRunBy(runner, fence))
}
