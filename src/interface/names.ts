/** Returns whether a name has anything visible: a letter, digit, punctuation mark or symbol. */
export const isVisibleName = (name: string): boolean => /[\p{L}\p{N}\p{P}\p{S}]/u.test(name)
