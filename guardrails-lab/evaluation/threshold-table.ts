// Formats the counts of thresholds as the tables of docs/how-sentinel-decides.md.

import type { Rates } from './threshold-rates.ts'

const kindNames: Record<string, string> = {
  forged_turn: 'pretends to be a turn of the system or the assistant',
  override: 'cancels or replaces the instructions',
  output_control: 'dictates how the answer begins, or which words it must not have',
  authority: 'claims the authority of a developer, an administrator, a superior',
  persona: 'gives the model a role without rules',
  leak: 'asks for the instructions themselves',
  encoding: 'hides the instruction in a code or riddle',
  embedded: 'stands in a mail, document, ticket or piece of code',
  negotiation: 'bargains, flatters, threatens, argues',
  ordinary: 'ordinary requests',
  office: 'mails and texts of an office',
  support: 'tickets and customer support',
  teaching: 'lessons and exercises',
  games: 'games and their rules',
  devices: 'devices and their settings',
  legal: 'contracts and law',
  self_correction: 'takes back what the user said before',
  roleplay: 'role play within the rules',
  prompt_writing: 'work on prompts',
  code: 'code, tests, configurations, commit messages',
  docs: 'documentation and licences',
  translation: 'texts to translate or correct',
  quotes: 'quotes from books, news and talks',
  about_injection: 'questions about prompt injection',
  security_talk: 'questions about computer security',
  numbered_objects: 'JSON whose names and values differ only in numbers, such as `{"name0":"v0"}`',
  repository_typescript: 'TypeScript of this repository, in messages of at most 4 KB; its tests hold some attacks',
  consequences_at_work: 'work: what happens to employees',
  fines: 'notices of fines',
  law: 'questions of law',
  incident_reports: 'reports of incidents',
  lessons_for_staff: 'lessons for staff',
  news: 'news of companies',
  neighbours: 'neighbours and tenants',
  school: 'pupils',
  health: 'patients and nurses',
  traffic_and_machines: 'traffic and machines',
}

/** Rows of Markdown, the kind that `balanced` blocks most often first, after a row for all of them. */
export function tableRows(rates: Readonly<Record<string, Rates>>): string[] {
  const kinds = Object.entries(rates).sort(([a, of], [b, other]) => rank(b, other) - rank(a, of))
  return kinds.map(([kind, of]) => {
    const name = kind === 'all' ? '**all**' : kindNames[kind]
    if (name === undefined) throw new Error(`no description of the kind ${kind}`)
    return `| ${[name, of.texts, ...[of.flagged, of.strict, of.balanced, of.lenient].map(hits => percent(hits, of))].join(' | ')} |`
  })
}

const rank = (kind: string, { balanced, texts }: Rates) => (kind === 'all' ? 2 : balanced / texts)

function percent(hits: number, { texts }: Rates): string {
  return `${((100 * hits) / texts).toFixed(1)} %`
}
