const ALLOWED = new Set(["http:", "https:", "mailto:"]);

/** The address if a click on it is safe, else null. Only absolute addresses: a reply never points into this page. */
export function safeAddress(address: string): string | null {
  const url = URL.canParse(address) ? new URL(address) : null;
  return url && ALLOWED.has(url.protocol) ? url.href : null;
}
