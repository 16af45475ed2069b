/**
 * Gives the milliseconds of processor time since the call. Other processes that keep the machine busy do not add to it; the
 * other threads of this one do.
 */
export function startProcessorTime(): () => number {
  const before = process.cpuUsage()
  return () => {
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1_000
  }
}
