/** True where people can see something of a name: a letter, digit, mark of punctuation or symbol. */
export const isVisibleName = (name: string): boolean => /[\p{L}\p{N}\p{P}\p{S}]/u.test(name)
