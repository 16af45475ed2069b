/**
 * Whether `value` is a calendar date `YYYY-MM-DD` that exists. JavaScript rolls 31 February over to March, so a date
 * counts only when it survives the round trip.
 */
export function isBareDate(value: string): boolean {
  const instant = Date.parse(`${value}T00:00:00.000Z`)
  return (
    /^\d{4}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(instant) && new Date(instant).toISOString().startsWith(value)
  )
}
