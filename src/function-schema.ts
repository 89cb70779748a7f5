import * as z from 'zod'

/** Reads a function. @param what says what it is for */
export const aFunction = <T>(what = 'a function') => z.custom<T>(value => typeof value === 'function', what)
