// Keeps processors busy during a test run: `sh server/node.sh server/test/support/busy.ts <loops> -- <command…>` starts
// the loops, runs the command and exits with its exit code. The loops are threads of this process, so they always end
// with it.
import { spawn } from 'node:child_process'
import { Worker } from 'node:worker_threads'

const separator = process.argv.indexOf('--')
const [program, ...args] = separator === -1 ? [] : process.argv.slice(separator + 1)
const loopCount = Number(process.argv[2] ?? Number.NaN)
if (program === undefined || !Number.isInteger(loopCount) || loopCount < 1) {
  process.stderr.write('Usage: sh server/node.sh server/test/support/busy.ts <loops> -- <command> [arguments]\n')
  process.exit(1)
}

for (let loop = 0; loop < loopCount; loop++) new Worker('for (;;);', { eval: true })
const child = spawn(program, args, { stdio: 'inherit' })
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
child.once('error', error => {
  process.stderr.write(`${error.message}\n`)
  process.exit(1)
})
child.once('close', code => process.exit(code ?? 1))
