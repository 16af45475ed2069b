const SECOND_MS = 1_000

/**
 * Prints what is being built and how far it is: on a terminal in one line that is rewritten, elsewhere in a line for each
 * part. It prints nothing if nothing is built.
 */
export function startProgress(output) {
  const startedAt = performance.now()
  const seconds = () => `${((performance.now() - startedAt) / SECOND_MS).toFixed(1)} s`
  const parts = new Map()
  let timer
  const rewrite = () => {
    const states = [...parts].map(([name, isDone]) => `${name} ${isDone ? '✓' : '…'}`)
    output.write(`\r\x1b[KBuilding Greenroom, ${seconds()}: ${states.join('  ')}`)
  }
  const stop = () => {
    if (timer === undefined) return
    clearInterval(timer)
    timer = undefined
    output.write('\r\x1b[K')
  }
  return {
    begin() {
      parts.clear()
      if (output.isTTY) timer ??= setInterval(rewrite, SECOND_MS / 10)
      else output.write('Building Greenroom from its sources; this takes some seconds.\n')
    },
    /** Waits for a part and returns its result. */
    async part(name, running) {
      parts.set(name, false)
      const result = await running
      parts.set(name, true)
      if (!output.isTTY) output.write(`  ${name}: done after ${seconds()}\n`)
      return result
    },
    /** Removes the line. */
    stop,
    end() {
      stop()
      if (parts.size > 0) output.write(`Greenroom was built in ${seconds()}.\n`)
    },
  }
}
