/**
 * Returns a function that reports the milliseconds of processor time since this call. Other busy processes do not add to
 * it; other threads of this one do.
 */
export function startProcessorTime(): () => number {
  const before = process.cpuUsage()
  return () => {
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1_000
  }
}
