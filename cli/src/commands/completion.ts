// `completion`: scripts with which a shell completes commands and options, from the table of the commands.
import type { Command } from '../frame/command.ts'
import { Failure } from '../frame/failure.ts'

const shells = ['bash', 'zsh', 'fish'] as const
const globalOptions = ['--project', '--tenant', '--url', '--json', '--help']
const serverWords = ['start', 'demo', 'db:backup', 'db:restore']

export function createCompletionCommand(list: () => readonly Command[]): Command {
  return {
    name: 'completion',
    summary: 'Print the completion of a shell',
    example: 'sallyport completion bash > ~/.local/share/bash-completion/completions/sallyport',
    args: [['<shell>', shells.join(', ')]],
    async run({ args: [wanted = ''] }) {
      const shell = shells.find(name => name === wanted)
      if (shell === undefined) throw new Failure(`There is no completion for ${wanted}: ${shells.join(', ')}`)
      const text = shell === 'fish' ? renderFish(list()) : renderBash(list(), shell)
      return { json: { shell, text }, text }
    },
  }
}

/** What may follow the words that were typed, by those words. */
function listCandidates(commands: readonly Command[]): Map<string, string[]> {
  const candidates = new Map<string, string[]>([['', serverWords.slice()]])
  const add = (typed: string, ...words: string[]) => {
    const known = candidates.get(typed) ?? []
    candidates.set(typed, [...new Set([...known, ...words])])
  }
  for (const { name, options = [] } of commands) {
    const words = name.split(' ')
    for (const [index, word] of words.entries()) add(words.slice(0, index).join(' '), word)
    add(name, ...options.map(([flags]) => optionOf(flags)))
  }
  return candidates
}

const optionOf = (flags: string) => flags.split(' ')[0] ?? ''

/** zsh runs the script of bash. A file may follow everywhere: it is offered where no word fits. */
function renderBash(commands: readonly Command[], shell: 'bash' | 'zsh'): string {
  const cases = [...listCandidates(commands)].map(([typed, words]) => {
    const offered = typed === '' ? [...words, '--help', '--version'] : [...words, ...globalOptions]
    return `    '${typed}') words='${offered.join(' ')}' ;;`
  })
  const start = shell === 'zsh' ? ['#compdef sallyport', 'autoload -U +X bashcompinit && bashcompinit'] : []
  return [
    ...start,
    '_sallyport() {',
    '  local typed= words= index',
    '  for ((index = 1; index < COMP_CWORD; index++)); do',
    `    [[ \${COMP_WORDS[index]} == -* ]] && break`,
    // Arguments of a command follow its words, and have no case of their own.
    `    case "$typed \${COMP_WORDS[index]}" in`,
    `      ${deeper(commands)}) typed="\${typed:+$typed }\${COMP_WORDS[index]}" ;;`,
    '    esac',
    '  done',
    '  case "$typed" in',
    ...cases,
    '  esac',
    `  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))`,
    '}',
    'complete -o default -F _sallyport sallyport',
  ].join('\n')
}

function deeper(commands: readonly Command[]): string {
  const known = [...listCandidates(commands).keys()].filter(Boolean)
  return known.map(typed => `'${typed.includes(' ') ? typed : ` ${typed}`}'`).join('|')
}

function renderFish(commands: readonly Command[]): string {
  const lines = commands.flatMap(({ name, summary, options = [] }) => {
    const words = name.split(' ')
    const last = words.at(-1) ?? ''
    const before = words.slice(0, -1)
    const condition = before.length === 0 ? '__fish_use_subcommand' : seen(before)
    return [
      `complete -c sallyport -n '${condition}' -a ${last} -d ${quote(summary)}`,
      ...options.map(([flags, meaning]) => {
        const takes = flags.includes('<') ? ' -r' : ''
        return `complete -c sallyport -n '${seen(words)}' -l ${optionOf(flags).slice(2)}${takes} -d ${quote(meaning)}`
      }),
    ]
  })
  const server = serverWords.map(word => `complete -c sallyport -n __fish_use_subcommand -a ${word}`)
  const common = globalOptions.map(option => `complete -c sallyport -l ${option.slice(2)}`)
  return [...server, ...lines, ...common].join('\n')
}

const seen = (words: readonly string[]) => words.map(word => `__fish_seen_subcommand_from ${word}`).join('; and ')
const quote = (text: string) => `'${text.replace(/\\/g, '\\\\').replace(/'/g, "\\'")}'`
