/** Returns the digits of an ad account's id, which the platform's own tools write as `act_<digits>`. */
export const toAdAccountId = (given: string): string => given.replace(/^act_/, '')
