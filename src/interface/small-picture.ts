/** The suffix of a small picture's file name. */
export const SMALL_ENDING = '.small.jpg'

/** The longer side in pixels: twice what a list shows, for high-density screens. */
export const SMALL_SIDE_MAX = 640

/** Small, because lists show dozens of pictures. */
export const SMALL_BYTES_MAX = 100 * 1024
