/** Sums of money. Adding binary fractions leaves traces such as 0.30000000000000004, which no reader and no program shall get. */

/** Returns a sum without the traces of binary fractions. */
export const roundMoney = (sum: number): number => Number(sum.toPrecision(12))

/**
 * Returns a sum for people: cents from 1 on, four digits below, never an exponent. The currency is the currency of the operator's prices.
 */
export const moneyText = (sum: number): string => {
  const size = Math.abs(sum)
  if (size === 0) return '0'
  const decimals = size >= 1 ? 2 : Math.min(20, 3 - Math.floor(Math.log10(size)))
  return sum.toFixed(decimals).replace(/\.?0+$/, '')
}
