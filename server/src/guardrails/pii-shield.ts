// Applies PII Shield to one prompt: scans it, applies the project's actions to the matches, and writes the prompt with
// tokens and placeholders in place of values.

import { createHash } from 'node:crypto'
import { type EntityAction, type EntityName, entityTypes, type Settings } from '../domain/settings/settings.ts'
import type { Finding } from './finding.ts'
import type { KnownTexts } from './known-texts.ts'
import { type JsonView, viewJson } from './masking/json-view.ts'
import { hexesWrittenIn, placeholder, tokensOf, withoutTokenParts } from './masking/mask-token.ts'
import { createMinter, type Minter } from './masking/minter.ts'
import type { Vault } from './masking/vault.ts'
import { type CustomTypes, compileCustomTypes } from './pii/custom/custom-types.ts'
import { findEntities } from './pii/find-entities.ts'
import { keepSurest } from './pii/overlaps.ts'
import type { PromptTexts } from './prompt-texts.ts'
import type { Recognition } from './recogniser/external-recogniser.ts'
import type { Edit, Replacement } from './text-edits.ts'
import { breathing, type WorkBudget } from './work-budget.ts'

/** Settings in the form in which they are applied; created once for each revision. */
export interface PiiRules {
  actions: ReadonlyMap<EntityName, EntityAction>
  wanted: ReadonlySet<EntityName>
  /** Null if no type of the project's own is wanted. */
  custom: CustomTypes | null
  /** Matches the tokens of all types. */
  tokens: RegExp
  /** Identifies the wanted types and their definitions. */
  name: string
}

/**
 * A name in `pii_entities` without a definition is ignored: the settings had one when a removed tier was deployed.
 * Yields so that others can run.
 */
export function* readPiiRules({
  pii_entities,
  custom_entities,
}: Pick<Settings, 'pii_entities' | 'custom_entities'>): Generator<void, PiiRules> {
  const builtIn = entityTypes.filter(type => pii_entities[type] !== undefined)
  const defined = custom_entities.filter(({ name }) => pii_entities[name] !== undefined)
  const wanted = [...builtIn, ...defined.map(({ name }) => name)]
  const definitions = defined.length === 0 ? '' : JSON.stringify(defined)
  const digest = definitions === '' ? '' : createHash('sha256').update(definitions).digest('base64')
  return {
    actions: new Map(wanted.map(type => [type, pii_entities[type] ?? 'BLOCK'])),
    wanted: new Set(wanted),
    custom: defined.length === 0 ? null : yield* compileCustomTypes(defined),
    tokens: tokensOf([...entityTypes, ...defined.map(({ name }) => name)]),
    name: `${builtIn.map(type => entityTypes.indexOf(type)).join('.')} ${digest}`,
  }
}

interface Place {
  text: string
  /** Null unless the text is arguments in JSON. The matches' offsets then count in the view's lines. */
  view: JsonView | null
  finds: readonly Finding[]
}

/** The result of a scan. It grows during the scan, so that matches before an error are known. */
export interface PiiMatches {
  /** Each type once, in no order. */
  types: Set<EntityName>
  /** The number of occurrences. */
  count: number
  editable: Place[]
  callArguments: Place[]
}

export const noMatches = (): PiiMatches => ({ types: new Set(), count: 0, editable: [], callArguments: [] })

interface ScanDependencies {
  known: KnownTexts<readonly Finding[]>
  /** The cache is separate for each owner, so that its speed does not reveal what others have sent. */
  owner: string
  budget: WorkBudget
  /** Called when a cached result is used. */
  onReuse(): void
  /** Null without an external recogniser. */
  recognition: Recognition | null
}

export async function scanTexts(
  dependencies: ScanDependencies,
  rules: PiiRules,
  texts: PromptTexts,
  into: PiiMatches,
): Promise<void> {
  const { known, owner, budget, onReuse, recognition } = dependencies
  const revision = `${owner} ${rules.name}`
  const awaited: { place: Place; theirs: Promise<readonly Finding[]>; places: Place[] | null }[] = []

  async function find(text: string): Promise<readonly Finding[]> {
    const before = known.find(text, revision)
    if (before !== undefined) {
      onReuse()
      await budget.breathe()
      return before
    }
    const found = await findEntities(text, rules.wanted, budget, rules.custom)
    const finds = found.length === 0 ? found : withoutTokenParts(text, found, rules.tokens)
    known.keep(text, revision, finds)
    await budget.breathe()
    return finds
  }

  async function scan(text: string, view: JsonView | null, places: Place[] | null): Promise<void> {
    const scanned = view?.lines ?? text
    // Started first, so that its answer arrives during the scan.
    const theirs = recognition?.find(scanned)
    const finds = await find(scanned)
    const place = { text, view, finds }
    if (theirs === undefined) addPlace(into, place, places)
    else awaited.push({ place, theirs, places })
  }

  try {
    for (const text of texts.editable) await scan(text, null, into.editable)
    for (const text of texts.callArguments)
      await scan(text, await breathing(viewJson(text), budget.breathe), into.callArguments)
    for (const text of texts.readOnly) await scan(text, null, null)
  } finally {
    for (const { place, theirs, places } of awaited) {
      const others = withoutTokenParts(place.view?.lines ?? place.text, await theirs, rules.tokens)
      addPlace(into, { ...place, finds: joinFinds(place.finds, others) }, places)
    }
  }
}

function addPlace(into: PiiMatches, place: Place, places: Place[] | null): void {
  const { finds } = place
  if (finds.length === 0) return
  into.count += finds.length
  for (const { type } of finds) into.types.add(type)
  places?.push(place)
}

function joinFinds(finds: readonly Finding[], others: readonly Finding[]): readonly Finding[] {
  if (others.length === 0) return finds
  const joined: Finding[] = []
  keepSurest(joined, [...finds, ...others])
  return joined
}

export interface Replacements {
  /** What the provider gets. */
  forProvider: Replacement
  /** What memory stores: masked again with each request; redacted values stay redacted. */
  forMemory: Replacement
  /** Null if there is nothing to restore. */
  vault: Vault | null
  actions: ReadonlySet<Exclude<EntityAction, 'BLOCK'>>
}

interface ShieldDependencies {
  /** Called only if something is masked. */
  giveKey(): Uint8Array
  budget: Pick<WorkBudget, 'breathe'>
}

/** Applies the project's actions to the matches. */
export async function shield(
  { giveKey, budget }: ShieldDependencies,
  rules: PiiRules,
  finds: PiiMatches,
  texts: PromptTexts,
): Promise<Replacements> {
  const masks = [...finds.types].some(type => rules.actions.get(type) === 'MASK')
  const findWritten = () => breathing(hexesWrittenIn([...texts.editable, ...texts.callArguments]), budget.breathe)
  const minter = masks ? createMinter(giveKey(), await findWritten()) : null
  const done = new Set<Exclude<EntityAction, 'BLOCK'>>()
  const cover = async (keepsMasked: boolean): Promise<Replacement> => {
    const write = (type: EntityName, value: string): string | null => {
      if (rules.actions.get(type) !== 'MASK') {
        done.add('REDACT')
        return placeholder(type)
      }
      if (keepsMasked || minter === null) return null
      done.add('MASK')
      return minter.mint(type, value)
    }
    const replaced = new Map<string, readonly Edit[]>()
    for (const place of finds.editable) replaced.set(place.text, await coverText(place, write, budget))
    const calls = new Map<string, readonly Edit[]>()
    for (const place of finds.callArguments) calls.set(place.text, await coverArguments(place, write, budget))
    return { text: text => replaced.get(text) ?? [], call: text => calls.get(text) ?? [] }
  }
  const forProvider = await cover(false)
  const forMemory = done.has('REDACT') ? await cover(true) : keepAll
  return { forProvider, forMemory, vault: usedVault(minter, done), actions: done }
}

const keepAll: Replacement = { text: () => [], call: () => [] }

/** Null if all values to be masked are in places that stay unchanged. */
function usedVault(minter: Minter | null, done: ReadonlySet<string>): Vault | null {
  if (minter === null) return null
  if (done.has('MASK')) minter.vault.complete()
  else minter.vault.close()
  return done.has('MASK') ? minter.vault : null
}

/** Returns the replacement of a value; null keeps it. */
type Write = (type: EntityName, value: string) => string | null

async function coverText({ text, finds }: Place, write: Write, budget: Pick<WorkBudget, 'breathe'>): Promise<Edit[]> {
  const edits: Edit[] = []
  for (const [index, { start, end, type }] of finds.entries()) {
    const cover = write(type, text.slice(start, end))
    if (cover !== null) edits.push({ start, end, cover })
    if (index % findsPerBreath === 0) await budget.breathe()
  }
  return edits
}

async function coverArguments(place: Place, write: Write, budget: Pick<WorkBudget, 'breathe'>): Promise<Edit[]> {
  const { view, finds } = place
  if (view === null) return await coverText(place, write, budget)
  const edits: Edit[] = []
  for (const [index, { start, end, type }] of finds.entries()) {
    for (const { rawStart, rawEnd, value, isNumber } of view.valuesIn(start, end)) {
      // A number that contains two matches is replaced once.
      if (rawStart < (edits.at(-1)?.end ?? 0)) continue
      const cover = write(type, value)
      if (cover !== null) edits.push({ start: rawStart, end: rawEnd, cover: isNumber ? `"${cover}"` : cover })
    }
    if (index % findsPerBreath === 0) await budget.breathe()
  }
  return edits
}

const findsPerBreath = 64
