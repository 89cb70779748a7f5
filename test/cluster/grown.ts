/** Resolves when a list has so many items more. */
export async function grown(list: readonly unknown[], by: number): Promise<void> {
  const wanted = list.length + by
  while (list.length < wanted) await new Promise(resolve => setTimeout(resolve, 5))
}
