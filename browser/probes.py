"""JavaScript functions that ask a page what it has. Each is evaluated as it stands."""

SETTINGS = "async () => (await fetch('/api/settings')).json()"

ISOLATION = """() => ({
  crossOriginIsolated,
  hardwareConcurrency: navigator.hardwareConcurrency,
})"""

# null: no adapter. The limits are those that decide which models fit.
GPU = """async () => {
  const adapter = await navigator.gpu?.requestAdapter().catch(() => null);
  if (!adapter) return null;
  const { vendor, architecture, description } = adapter.info;
  const { maxBufferSize, maxStorageBufferBindingSize } = adapter.limits;
  return {
    description: description || [vendor, architecture].filter(Boolean).join(" "),
    isFallbackAdapter: adapter.info.isFallbackAdapter ?? adapter.isFallbackAdapter ?? false,
    shaderF16: adapter.features.has("shader-f16"),
    maxBufferBytes: maxBufferSize,
    maxStorageBufferBindingBytes: maxStorageBufferBindingSize,
  };
}"""
