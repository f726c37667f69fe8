# docker build -t templcrawl . && docker run -v "$PWD:/results" templcrawl https://example.org/ -o pages
FROM python:3.13-slim
RUN apt-get update \
    && apt-get install --yes --no-install-recommends chromium \
    && rm -rf /var/lib/apt/lists/*
COPY . /source
RUN pip install --no-cache-dir "/source[command,render]" && rm -rf /source
RUN useradd --create-home crawler && mkdir /results && chown crawler /results
USER crawler
WORKDIR /results
ENTRYPOINT ["templcrawl"]
