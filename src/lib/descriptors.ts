import { readFileSync } from 'node:fs'

/** Returns how many files and sockets this process may have open at once; undefined if the system does not say. */
export function readDescriptorLimit(): number | undefined {
  let limits: string
  try {
    limits = readFileSync('/proc/self/limits', 'utf8')
  } catch {
    return undefined
  }
  const [, soft] = /^Max open files +(\d+)/m.exec(limits) ?? []
  return soft === undefined ? undefined : Number(soft)
}
